#!/bin/sh
# Lays out what both packages have below a prefix: stage.sh PROGRAMS FOLDER [SYSTEM LIBRARIES…]
# PROGRAMS is a folder with assayd, assay and assay-plugin-launcher; the libraries are words for sbom.py.
programs=$1 stage=$2
shift 2
. "$(dirname "$0")/common.sh"
rm -rf "$stage"
install -D -m 755 -t "$stage/bin" "$programs/assayd" "$programs/assay"
install -D -m 755 -t "$stage/libexec/assay" "$programs/assay-plugin-launcher"

python3 dev/package/man-pages.py "$stage/bin/assay" 1 "$stage/share/man/man1" "$SOURCE_DATE_EPOCH"
python3 dev/package/man-pages.py "$stage/bin/assayd" 8 "$stage/share/man/man8" "$SOURCE_DATE_EPOCH"
find "$stage/share/man" -type f -exec gzip -9n {} +
mkdir -p "$stage/share/bash-completion/completions" "$stage/share/zsh/vendor-completions" "$stage/share/fish/vendor_completions.d"
for program in assay assayd; do
    # A shell reads it; it is no program.
    "$stage/bin/$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$stage/share/bash-completion/completions/$program"
    "$stage/bin/$program" --generate-completion-script zsh >"$stage/share/zsh/vendor-completions/_$program"
    "$stage/bin/$program" --generate-completion-script fish >"$stage/share/fish/vendor_completions.d/$program.fish"
done

install -D -m 644 -t "$stage/lib/systemd/system" deploy/systemd/assayd.service
doc=$stage/share/doc/assay
install -D -m 644 -t "$doc" README.md SECURITY.md deploy/assayd.example.yaml
# The pages in the folders that they have below docs. Their front door is index.md, since README.md is that of the sources.
find docs -name '*.md' -o -name openapi.yaml | while IFS= read -r page; do
    at=${page#docs/}
    [ "$at" != README.md ] || at=index.md
    install -D -m 644 "$page" "$doc/$at"
done
mkdir -p "$doc/examples"
cp -R examples/configurations "$doc/examples/"
# As it stands in /etc/assay: `assayd dev` compares the two.
install -D -m 644 -t "$doc/examples/systemd" deploy/systemd/assayd.yaml
cp -R deploy/container deploy/haproxy deploy/kubernetes deploy/prometheus deploy/grafana "$doc/examples/"
# Not what make-secrets.sh has made where these sources are used.
mkdir -p "$doc/examples/compose"
for file in deploy/compose/*; do
    [ "$file" = deploy/compose/secrets ] || cp -R "$file" "$doc/examples/compose/"
done
find "$doc" -type f -exec chmod 644 {} +

# Licences of what is linked into the programs, each text once.
checkouts=$scratch/checkouts
[ -d "$checkouts" ] || checkouts=.build/checkouts
{
    echo "The programs contain these packages, with the licences and notices below."
    for package in "$checkouts"/*/; do
        for file in "$package"LICENSE* "$package"NOTICE*; do
            [ -f "$file" ] || continue
            printf '\n%s\n== %s: %s\n\n' "$(printf '=%.0s' $(seq 78))" "$(basename "$package")" "$(basename "$file")"
            cat "$file"
        done
    done
} >"$doc/third-party-licences.txt"
mkdir -p "$stage/share/assay"
install -m 644 Package.resolved "$stage/share/assay/Package.resolved"
python3 dev/package/sbom.py "$stage" Package.resolved "$version" "$SOURCE_DATE_EPOCH" "$@" >"$stage/share/assay/assay.cdx.json"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
