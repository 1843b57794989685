// ES, 3.00: Without `#version` a fetch by the name of older versions is a warning.
void mainImage(out vec4 color, in vec2 place) {
    color = texture2D(iChannel0, place); //~ warning
}
