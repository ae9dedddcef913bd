const ATTEMPT_LIMITS = 'limits of login attempts are later work'

/** The cases that are not run here, each with the reason. */
export const LATER: Readonly<Record<string, string>> = {
  'RL-01': ATTEMPT_LIMITS,
  'RL-02': ATTEMPT_LIMITS,
  'RL-03': ATTEMPT_LIMITS,
  'RL-06': ATTEMPT_LIMITS,
  'RL-07': ATTEMPT_LIMITS,
  'RL-08': `nobody is ever locked out yet; ${ATTEMPT_LIMITS}`,
  'ENUM-03': `nobody is ever throttled yet; ${ATTEMPT_LIMITS}`,
  'REV-03': 'changing a password is later work',
  'REV-07': 'test/faults lets a Redis master die',
}
