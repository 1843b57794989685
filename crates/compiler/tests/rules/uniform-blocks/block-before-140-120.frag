// GLSL 1.20, 4.3: There are no uniform blocks.
#version 120
uniform Block { //~ error
    vec4 a;
};

void main() {
    gl_FragColor = vec4(1.0);
}
