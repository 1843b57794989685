#version 300 es
// ES 3.00, 6.4: `continue` needs a loop; a `switch` does not count.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1:
        continue; //~ error: `continue` is not within a loop
    }
}
