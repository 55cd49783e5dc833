#!/bin/sh
# Packs PACKAGES/static: PACKAGES/assay-VERSION-MACHINE-linux.tar.xz, and its SHA-256. Equal programs give equal bytes.
. "$(dirname "$0")/common.sh"
name=assay-$version-$(uname -m)-linux
stage=$packages/tarball/$name
# shellcheck disable=SC2046
RELEASE_HOME="\$PWD/$name" dev/package/stage.sh "$packages/static" "$stage" $(dev/package/libraries.sh static)
install -m 644 LICENSE "$stage/"
python3 -B dev/package/readme.py "$name" "$version" --address "${ADDRESS:-}" >"$stage/README.md"
chmod 644 "$stage/README.md"
install -D -m 644 -t "$stage/etc/assay" deploy/systemd/assayd.yaml
# Where a system that is not Debian looks.
mv "$stage/share/zsh/vendor-completions" "$stage/share/zsh/site-functions"
# What install.sh removes again. The configuration, and licence and README at the top, are not among them.
(cd "$stage" && find bin lib libexec share -type f -o -type l | sort >share/assay/files.new && echo share/assay/files >>share/assay/files.new)
sed -i '/^share\/assay\/files\.new$/d' "$stage/share/assay/files.new"
mv "$stage/share/assay/files.new" "$stage/share/assay/files"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
tar --create --directory "$packages/tarball" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w --mtime="@$SOURCE_DATE_EPOCH" "$name" | pack >"$packages/$name.$archive"
(cd "$packages" && sha256sum "$name.$archive" | tee "$name.$archive.sha256")
