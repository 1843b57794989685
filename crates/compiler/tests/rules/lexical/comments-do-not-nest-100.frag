// ES 1.00, 3.5: Comments do not nest: the first `*/` ends the comment.
#version 100
precision mediump float;
/* one /* two */ three */ //~ error: expected the name of a variable, found `*`

void main() {
    gl_FragColor = vec4(1.0);
}
