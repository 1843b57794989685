// GLSL 1.10, 8.7: texture2D takes a sampler, coordinates, and a bias if wanted.
#version 110
uniform sampler2D s;
varying vec2 uv;

void main() {
    gl_FragColor = texture2D(s, uv) + texture2DProj(s, vec3(uv, 1.0)) + texture2DProj(s, vec4(uv, 1.0, 1.0));
    gl_FragColor += texture2D(s, uv, 1.0); //~ warning: the machine has no levels of detail: biases, levels and gradients have no effect
}
