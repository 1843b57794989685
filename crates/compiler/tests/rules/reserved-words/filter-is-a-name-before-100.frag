// ES 1.00, 3.7: `filter`, `common`, `active` and `partition` are names like others.
// value: 1 2 3 4
#version 100
precision mediump float;
void main() {
    float filter = 1.0, common = 2.0, active = 3.0, partition = 4.0;
    gl_FragColor = vec4(filter, common, active, partition);
}
