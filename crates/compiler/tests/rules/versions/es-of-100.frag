// ES 1.00, 3.4: `#version 100` has no `es`.
#version 100 es //~ error: version 100 has no profile `es`
void main() {
}
