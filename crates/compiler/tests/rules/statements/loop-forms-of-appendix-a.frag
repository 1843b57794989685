// ES 1.00, A.4: Loops that Appendix A lets an implementation refuse are taken; of one whose length is not known
// there is a warning.
// value: 3 4 0 1
// set n = 3
#version 100
precision mediump float;
uniform int n;

void main() {
    float a = 0.0, b = 0.0;
    for (int i = 0; i < n; i++) a += 1.0; //~ warning: the machine ends a loop after 65,025 iterations
    int k = 0;
    while (k < 4) { b += 1.0; k += 1; }
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
