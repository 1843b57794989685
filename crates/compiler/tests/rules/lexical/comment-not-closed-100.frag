// ES 1.00, 3.5: A comment that begins with `/*` must end.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
    /* no end //~ error: this comment has no end
}
