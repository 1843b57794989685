// GLSL 3.30, 6.3: The machine counts at most 65,025 rounds: a loop that may run longer is a warning.
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = u;
    while (a < 9.0) a *= u; //~ warning: the machine ends a loop after 65,025 iterations
    color = vec4(a);
}
