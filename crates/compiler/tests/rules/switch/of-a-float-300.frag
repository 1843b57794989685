#version 300 es
// ES 3.00, 6.2: `switch` takes an integer.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    switch (u) { //~ error: `switch` takes an integer, not `float`
    case 1:
        break;
    }
    switch (true) { //~ error: `switch` takes an integer, not `bool`
    case 1:
        break;
    }
    switch (ivec2(1)) { //~ error: `switch` takes an integer, not `ivec2`
    case 1:
        break;
    }
}
