#!/bin/sh
# The paper's experiments on Wikispeedia, as guide/reproduce.md tells them.
# Usage: reproduce.sh LLAMAFUR DATA OUT, with the dump and judgments-dev.tsv in the folder DATA.
set -eu
llamafur=$1 data=$2 out=$3
mkdir -p "$out"
corpus=$out/ws.corpus
run() { echo "\$ llamafur $*"; "$llamafur" "$@" --format table --progress none; echo; }

run import wiki "$data/wikispeedia-pages-articles.xml.bz2" --out "$corpus" --overwrite
run cleanse "$corpus" --milestones all --ancestors 3
run train "$corpus"
for method in averaged paper original; do
    run train "$corpus" --method "$method" --name "$method"
done
run train "$corpus" --method naive
run cross-validate "$corpus" --method all
run cross-validate "$corpus" --method paper --milestones 3,10,30,100,all
run evaluate "$corpus" --judgments "$data/judgments-dev.tsv" --scorer blend --scorer llamafur+aa --scorer llamafur \
    --scorer llamafur:paper --scorer naive --scorer aa --scorer m2 --scorer m4 --scorer llamafur:averaged \
    --scorer llamafur:original --report "$out/report" --overwrite --page Jupiter
