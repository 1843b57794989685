// GLSL 3.30, 6.4: `continue` needs a loop; a `switch` does not count.
#version 330
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1:
        continue; //~ error: `continue` is not within a loop
    }
}
