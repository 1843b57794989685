#version 300 es
// ES 3.00, 4.3.8.3: Members of blocks have `row_major` and `column_major` only.
uniform Block {
    layout(location = 0) highp vec4 a; //~ error: a member of a block has no `location`
    layout(row_major) highp mat4 b;
};

void main() {
}
