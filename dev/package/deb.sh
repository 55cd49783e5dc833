#!/bin/sh
# Makes PACKAGES/assay_VERSION-REVISION_MACHINE.deb of PACKAGES/programs. REVISION=1 unless it is set; COMPRESSION has options of dpkg-deb.
. "$(dirname "$0")/common.sh"
command -v dpkg-shlibdeps >/dev/null || { echo "deb: there is no dpkg-shlibdeps: apt install dpkg-dev" >&2; exit 1; }
full=$version-${REVISION:-1}
machine=$(dpkg --print-architecture)
root=$packages/deb/assay
rm -rf "$root"
mkdir -p "$root/usr" "$root/DEBIAN"
# shellcheck disable=SC2046
dev/package/stage.sh "$packages/programs" "$root/usr" $(dev/package/libraries.sh programs)
mkdir -p "$root/usr/lib/assay/plugins" "$root/etc/assay/plugins.d" "$root/usr/share/lintian/overrides"
install -m 644 deploy/systemd/assayd.yaml "$root/etc/assay/assayd.yaml"
install -m 644 deploy/debian/lintian-overrides "$root/usr/share/lintian/overrides/assay"
install -m 644 deploy/debian/copyright "$root/usr/share/doc/assay/copyright"
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
printf 'assay (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- %s  %s\n' \
    "$full" "$(sed -n 's/^Maintainer: //p' deploy/debian/control)" "$date" | gzip -9n >"$root/usr/share/doc/assay/changelog.Debian.gz"
gzip -9nc CHANGELOG.md >"$root/usr/share/doc/assay/changelog.gz"

# The packages of the libraries that the programs load. dpkg-shlibdeps wants a source package around it.
mkdir -p "$packages/deb/debian"
printf 'Source: assay\n\nPackage: assay\nArchitecture: any\n' >"$packages/deb/debian/control"
libraries=$(cd "$packages/deb" && dpkg-shlibdeps -O assay/usr/bin/assayd assay/usr/bin/assay 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$libraries" ] || { echo "dpkg-shlibdeps found no libraries" >&2; exit 1; }
size=$(du -sk --apparent-size "$root" | cut -f1)
sed -e "s/@VERSION@/$full/" -e "s/@MACHINE@/$machine/" -e "s/@LIBRARIES@/$libraries/" -e "s/@SIZE@/$size/" \
    deploy/debian/control >"$root/DEBIAN/control"
echo /etc/assay/assayd.yaml >"$root/DEBIAN/conffiles"
install -m 755 -t "$root/DEBIAN" deploy/debian/config deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm
install -m 644 -t "$root/DEBIAN" deploy/debian/templates
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=$packages/assay_${full}_$machine.deb
if [ -n "${COMPRESSION:-}" ]; then
    # shellcheck disable=SC2086
    dpkg-deb --root-owner-group $COMPRESSION --build "$root" "$deb" >/dev/null
else
    # As dpkg-deb does, but for the dictionary, which its options do not reach.
    dpkg-deb --root-owner-group -Znone --build "$root" "$packages/deb/plain.deb" >/dev/null
    (
        cd "$packages/deb"
        ar x plain.deb
        pack <data.tar >data.tar.xz
        pack <control.tar >control.tar.xz
        rm -f assay.deb
        ar rcDS assay.deb debian-binary control.tar.xz data.tar.xz
        rm plain.deb data.tar control.tar data.tar.xz control.tar.xz debian-binary
    )
    mv "$packages/deb/assay.deb" "$deb"
fi
(cd "$packages" && sha256sum "$(basename "$deb")")
