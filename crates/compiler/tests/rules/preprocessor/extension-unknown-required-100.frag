// ES 1.00, 3.4: An extension that is required must exist.
#version 100
precision mediump float;
#extension GL_FOO_not_there : require //~ error: the extension `GL_FOO_not_there` is not supported

void main() {
    gl_FragColor = vec4(1.0);
}
