/** What can be done about an anomaly, mildest first. */
const ANOMALY_ACTIONS = ['log', 'notify', 'reauthenticate', 'revoke'] as const
export type AnomalyAction = (typeof ANOMALY_ACTIONS)[number]

/** The score from which each action is taken; an action that is not listed is never taken. */
export type AnomalyPolicy = Readonly<Partial<Record<AnomalyAction, number>>>

const MAX_SCORE = 100

/** `notify:40,reauthenticate:60,revoke:90`; `log` is 1 (always) unless it is listed. */
export function anomalyPolicy(text: string): AnomalyPolicy {
  const steps = text.split(',').map(step => readStep(step.trim()))
  const actions = steps.map(([action]) => action)
  if (new Set(actions).size < actions.length) throw new Error('names an action twice')
  return { log: 1, ...Object.fromEntries(steps) }
}

function readStep(step: string): [AnomalyAction, number] {
  const [action = '', score = '', ...rest] = step.split(':')
  const isKnown = (ANOMALY_ACTIONS as readonly string[]).includes(action)
  const isScore = /^\d{1,3}$/.test(score) && Number(score) >= 1 && Number(score) <= MAX_SCORE
  if (!isKnown || !isScore || rest.length > 0)
    throw new Error(
      `must list steps such as notify:40, with ${ANOMALY_ACTIONS.join(', ')} and scores from 1 to ${MAX_SCORE}`,
    )
  return [action as AnomalyAction, Number(score)]
}
