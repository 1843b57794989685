// ES 1.00, 3.4: Each `#if` has its `#endif`.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
#if 1 //~ error: this condition has no `#endif`
