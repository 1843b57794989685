// GLSL 3.30, 3.3: `all` cannot be required or enabled.
#version 330
out vec4 color;
#extension all : require //~ error: `all` cannot be `require`
#extension all : enable //~ error: `all` cannot be `enable`

void main() {
    color = vec4(1.0);
}
