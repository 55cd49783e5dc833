#!/bin/sh
# Lays out what both packages have below a prefix: stage.sh PROGRAMS FOLDER [SYSTEM LIBRARIES…]
# PROGRAMS is a folder with assayd, assay and assay-plugin-launcher; the libraries are words for sbom.py. CHECKOUTS has the sources of the
# Swift packages, by default those of this build; ADDRESS is where the project's sources can be read, if that is to be linked; RELEASE_HOME
# is the folder in which the commands of the documentation find bin and share, /usr unless it is set.
programs=$1 stage=$2
shift 2
. "$(dirname "$0")/common.sh"
rm -rf "$stage"
install -D -m 755 -t "$stage/bin" "$programs/assayd" "$programs/assay"
install -D -m 755 -t "$stage/libexec/assay" "$programs/assay-plugin-launcher"

# Where the pages of the documentation are: below /usr, or in a folder that its user chooses.
if [ -n "${RELEASE_HOME:-}" ]; then documentation=share/doc/assay; else documentation=/usr/share/doc/assay; fi
python3 dev/package/man-pages.py "$stage/bin/assay" 1 "$stage/share/man/man1" "$SOURCE_DATE_EPOCH" "$documentation"
python3 dev/package/man-pages.py "$stage/bin/assayd" 8 "$stage/share/man/man8" "$SOURCE_DATE_EPOCH" "$documentation"
find "$stage/share/man" -type f -exec gzip -9n {} +
mkdir -p "$stage/share/bash-completion/completions" "$stage/share/zsh/vendor-completions" "$stage/share/fish/vendor_completions.d"
for program in assay assayd; do
    # A shell reads it; it is no program.
    "$stage/bin/$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$stage/share/bash-completion/completions/$program"
    "$stage/bin/$program" --generate-completion-script zsh >"$stage/share/zsh/vendor-completions/_$program"
    "$stage/bin/$program" --generate-completion-script fish >"$stage/share/fish/vendor_completions.d/$program.fish"
done

install -D -m 644 -t "$stage/lib/systemd/system" deploy/systemd/assayd.service
sed -i "s|docs/\([a-z/-]*\.md\)|$documentation/\1|" "$stage/lib/systemd/system/assayd.service"
doc=$stage/share/doc/assay
python3 dev/package/materials.py "$stage" --address "${ADDRESS:-}" --home "${RELEASE_HOME:-/usr}"
dev/check-links.sh "$stage" >/dev/null || { echo "stage: these links of the packaged pages lead nowhere" >&2; exit 1; }

# Licences of what is linked into the programs, each text once.
checkouts=${CHECKOUTS:-$scratch/checkouts}
[ -d "$checkouts" ] || checkouts=.build/checkouts
[ -d "$checkouts" ] || { echo "stage: there are no sources of the Swift packages in $checkouts (CHECKOUTS)" >&2; exit 1; }
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
python3 dev/package/sbom.py "$stage" Package.resolved "$checkouts" "$version" "$SOURCE_DATE_EPOCH" "$@" >"$stage/share/assay/assay.cdx.json"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
