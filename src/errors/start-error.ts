/** The service cannot start, for a reason outside its code. The message says what an operator has to mend. */
export class StartError extends Error {}
