// ES, 3.00: Without `#version` a fetch by the name of older versions is a warning.
void mainImage(out vec4 color, in vec2 place) {
    color = texture2D(iChannel0, place); //~ warning: `texture2D` is a function of GLSL ES 1.00 and GLSL 1.10 to 4.10; without `#version` this source is taken for GLSL ES 3.00
}
