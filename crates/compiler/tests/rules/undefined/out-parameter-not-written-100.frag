// ES 1.00, 4.4: An out parameter that is not written leaves its argument undefined.
#version 100
precision mediump float;
void f(out float a) { //~ warning: the `out` parameter `a` is never written; its argument is then undefined: assign a value to it
}

void main() {
    float a = 1.0;
    f(a);
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
