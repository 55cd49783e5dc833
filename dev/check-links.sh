#!/bin/sh
# Checks that every relative link in the documents leads to an existing file, and to an existing heading if it names one: check-links.sh
# [FOLDER]. Without a folder it is the repository, and the pages that messages of the programs name have to be there, too.
set -eu
cd "${1:-$(dirname "$0")/..}"

pages=$(find . -name '*.md' -not -path '*/.build*' -not -path './.git/*' | sed 's|^\./||' | sort)

# The first pass collects the anchors of all headings, as GitHub forms them; the second pass checks the links.
found=$(
    awk '
        function anchor_of(heading) {
            heading = tolower(heading)
            gsub(/\]\([^)]*\)/, "", heading)
            gsub(/[^a-z0-9 _-]/, "", heading)
            gsub(/ /, "-", heading)
            return heading
        }
        # docs/a/../b.md is docs/b.md
        function resolved(path) {
            while (match(path, /[^\/]+\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
            return path
        }
        function exists(path) {
            if (!(path in known)) known[path] = system("test -e \"" path "\"") == 0
            return known[path]
        }
        FNR == 1 { fenced = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder) }
        /^ *```/ { fenced = !fenced }
        fenced { next }
        pass == 1 {
            if (sub(/^#+ +/, "")) anchors[FILENAME "#" anchor_of($0)] = 1
            next
        }
        {
            line = $0
            gsub(/`[^`]*`/, "", line)
            while (match(line, /\]\([^)]*\)/)) {
                target = substr(line, RSTART + 2, RLENGTH - 3)
                line = substr(line, RSTART + RLENGTH)
                if (target ~ /^[a-z]+:/) continue
                anchor = ""
                if (match(target, /#/)) { anchor = substr(target, RSTART + 1); target = substr(target, 1, RSTART - 1) }
                path = target == "" ? FILENAME : resolved(folder target)
                if (!exists(path)) printf "%s:%d: %s does not exist\n", FILENAME, FNR, path
                else if (anchor != "" && !((path "#" anchor) in anchors))
                    printf "%s:%d: %s has no heading for #%s\n", FILENAME, FNR, path, anchor
            }
        }' pass=1 $pages pass=2 $pages
)
if [ -d Sources ]; then
    for page in $(grep -rhoE --include='*.swift' 'Documentation\.page\("[^"]*"' Sources | sed 's/.*("//; s/"$//' | sort -u); do
        [ -e "docs/$page" ] || found="$found${found:+
}Sources: a message names docs/$page, which does not exist"
    done
    literal=$(grep -rnE --include='*.swift' 'docs/[a-z][a-z/-]*\.md' Sources \
        | grep -vE '/Generated/|^[^:]*:[0-9]+: *//|// .*docs/|OpenAPIResources|PluginSkeleton' || true)
    [ -z "$literal" ] || found="$found${found:+
}$literal <- a message names a page by its path in the sources: Documentation.page finds it in an installation, too"
fi
if [ -n "$found" ]; then
    echo "$found" >&2
    exit 1
fi
echo "links: every relative link in the documents leads to a file and a heading"
