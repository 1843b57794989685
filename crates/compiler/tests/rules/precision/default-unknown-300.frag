#version 300 es
// ES 3.00, 4.5.3: The precisions are lowp, mediump and highp.
precision highp float;
out vec4 color;
precision high float; //~ error
precision fullp float; //~ error

void main() {
    color = vec4(1.0);
}
