// ES 1.00, 4.5.2: The precisions are lowp, mediump and highp.
#version 100
precision mediump float;
precision high float; //~ error: expected `lowp`, `mediump` or `highp` after `precision`, found `high`
precision fullp float; //~ error: expected `lowp`, `mediump` or `highp` after `precision`, found `fullp`

void main() {
    gl_FragColor = vec4(1.0);
}
