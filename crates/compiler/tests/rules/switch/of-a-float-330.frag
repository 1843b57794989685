// GLSL 3.30, 6.2: `switch` takes an integer.
#version 330
out vec4 color;
uniform float u;

void main() {
    switch (u) { //~ error
    case 1:
        break;
    }
    switch (true) { //~ error
    case 1:
        break;
    }
    switch (ivec2(1)) { //~ error
    case 1:
        break;
    }
}
