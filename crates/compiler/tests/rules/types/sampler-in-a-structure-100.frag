// ES 1.00, 4.1.7: A uniform structure may have a sampler.
#version 100
precision mediump float;
struct Light { sampler2D map; float gain; };
uniform Light light;

void main() {
    gl_FragColor = texture2D(light.map, vec2(0.5)) * light.gain;
}
