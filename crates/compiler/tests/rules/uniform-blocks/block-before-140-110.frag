// GLSL 1.10, 4.3: There are no uniform blocks.
#version 110
uniform Block { //~ error
    vec4 a;
};

void main() {
    gl_FragColor = vec4(1.0);
}
