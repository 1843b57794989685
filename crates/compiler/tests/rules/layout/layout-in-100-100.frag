// ES 1.00, 4.3: There are no layouts.
#version 100
precision mediump float;
layout(location = 0) uniform vec4 a; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
