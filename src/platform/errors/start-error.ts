/** The service cannot start, for a reason outside its code. The message says what an operator has to fix. */
export class StartError extends Error {}
