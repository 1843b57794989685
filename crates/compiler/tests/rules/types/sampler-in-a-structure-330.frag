// GLSL 3.30, 4.1.7: A uniform structure may have a sampler.
#version 330
out vec4 color;
struct Light { sampler2D map; float gain; };
uniform Light light;

void main() {
    color = texture(light.map, vec2(0.5)) * light.gain;
}
