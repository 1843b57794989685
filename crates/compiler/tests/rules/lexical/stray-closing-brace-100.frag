// ES 1.00, 9: A `}` closes a `{`.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
} //~ error
