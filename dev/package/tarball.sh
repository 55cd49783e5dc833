#!/bin/sh
# Packs PACKAGES/static: PACKAGES/assay-VERSION-MACHINE-linux.tar.gz, and its SHA-256. Equal programs give equal bytes.
. "$(dirname "$0")/common.sh"
name=assay-$version-$(uname -m)-linux
stage=$packages/tarball/$name
# shellcheck disable=SC2046
dev/package/stage.sh "$packages/static" "$stage" $(dev/package/libraries.sh static)
install -m 644 LICENSE "$stage/"
install -D -m 644 -t "$stage/etc/assay" deploy/systemd/assayd.yaml
# Where a system that is not Debian looks.
mv "$stage/share/zsh/vendor-completions" "$stage/share/zsh/site-functions"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
tar --create --directory "$packages/tarball" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip -9n >"$packages/$name.tar.gz"
(cd "$packages" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
