/** The cases that are not run here, each with the reason. */
export const LATER: Readonly<Record<string, string>> = {
  'REV-07': 'test/faults lets a Redis master die',
}
