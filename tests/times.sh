#!/usr/bin/env bash
# Runs all tests as tests/all.sh does, and prints what they take: for each step its core-seconds, and the
# slowest tests with their seconds by the clock. Tests run beside each other, so these are longer than alone on
# an idle machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# As the runner of test programs: lets them report times.
if [[ ${1:-} == --run ]]; then
    shift
    if [[ $1 == */deps/* ]]; then
        # The harness takes the option in a stable build only so.
        exec env RUSTC_BOOTSTRAP=1 "$@" -Z unstable-options --report-time
    fi
    exec "$@"
fi

host=$(rustc -vV | sed -n 's/^host: //p')
variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$host")_RUNNER
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
env "$variable=$PWD/tests/times.sh --run" tests/all.sh 2>&1 | tee "$log" || status=$?

printf '\n| step | core-seconds | by the clock |\n| --- | --- | --- |\n'
awk '/^== / { step = substr($0, 4) }
    /^-- .* s user/ { printf "| `%s` | %.0f | %.0f |\n", step, $2 + $5, $8; used += $2 + $5; clock += $8 }
    END { printf "| sum | %.0f | %.0f |\n", used, clock }' "$log"
printf '\nseconds, program, test\n'
awk '/Running / { program = $0; sub(/.*deps\//, "", program); sub(/-[0-9a-f]*\)$/, "", program) }
    /^test .* <[0-9.]*s>$/ { time = $NF; gsub(/[<>s]/, "", time); print time, program, $2 }' "$log" |
    sort -rn | head -n 30
exit $status
