// Imported for its effect: nothing comes out of it.
export {}
