#version 300 es
// ES 3.00, 6.2: The cases are enclosed in braces.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) case 1: color = vec4(1.0); //~ error: expected `{` after the value of `switch`, found `case`
}
