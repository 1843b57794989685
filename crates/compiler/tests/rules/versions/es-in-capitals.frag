// ES 3.00, 3.3: `es` is written in small letters.
#version 300 ES //~ error: version 300 has no profile `ES`
void main() {
}
