// The list of examples.

export class Examples {
    constructor(select, examples) {
        this.select = select;
        this.examples = examples;
        /** Shown for a document that is none of them, and for a changed one, which can then be chosen again. */
        this.other = new Option("", "");
        const groups = new Map();
        for (const { name, group, title } of examples) {
            if (!groups.has(group)) groups.set(group, Object.assign(document.createElement("optgroup"), { label: group }));
            groups.get(group).append(new Option(title, name));
        }
        select.replaceChildren(...groups.values());
    }

    /** Shows the name of a document. */
    name(doc) {
        const example = this.examples.find(({ name }) => name === doc.example);
        const same = example && Object.entries(doc.files).every(([path, text]) => example.files[path] === text);
        if (same) this.other.remove();
        else this.select.prepend(this.other);
        this.other.text = example ? `${example.title}, changed` : "a program";
        this.select.value = same ? doc.example : "";
    }

    /** Whether the document is not in the list as it is. */
    get changed() {
        return this.other.isConnected;
    }
}
