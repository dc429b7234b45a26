#!/usr/bin/env bash
# Refuses Rust lines of more than 110 characters, strings and tables included, and comments of more than 100;
# tables and code in comments may have 110. Called by `make lint`.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(find crates fuzz -name '*.rs' -not -path '*/target/*' | sort)

# shellcheck disable=SC2016
perl -CSD -ne '
    chomp;
    my $comment = m{^\s*//[/!]?(?: (.*))?$};
    my $text = $1 // "";
    $fenced = !$fenced if $comment && $text =~ /^\s*```/;
    $fenced = 0 if !$comment;
    my $most = $comment && !$fenced && $text !~ /^\|/ ? 100 : 110;
    if (length > $most) {
        printf STDERR "%s:%d: %d characters, at most %d\n", $ARGV, $., length, $most;
        $failed = 1;
    }
    if (eof) { close ARGV; $fenced = 0 }
    END { exit($failed // 0) }
' "${files[@]}"
