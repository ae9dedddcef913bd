/** What was typed when the login ended, by the path of the change; only in memory. */
const reasons = new Map<string, string>()
let operatorId: string | null = null

/** To call with each login: nobody gets what another operator has typed. */
export function keepOnlyReasonsOf(id: string): void {
  if (operatorId !== id) reasons.clear()
  operatorId = id
}

export function keepReason(path: string, reason: string): void {
  reasons.set(path, reason)
}

/** The reason kept for this change, which is then forgotten; null if there is none. */
export function takeReason(path: string): string | null {
  const reason = reasons.get(path) ?? null
  reasons.delete(path)
  return reason
}
