// ES, 1.00: A `precision` may appear anywhere at global scope, and still makes the source ES 1.00.
// value: 100 0 0 1
varying lowp vec4 c;
precision mediump float;
void main() {
    gl_FragColor = vec4(float(__VERSION__), 0.0, 0.0, 1.0);
}
