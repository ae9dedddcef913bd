import { type Option, SelectField } from '../../../pieces/controls.js'
import { t } from '../../../pieces/t.js'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Twice the usual life of an access token is the least that the service accepts. */
const USUAL_TIMEOUTS = [30 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR, DAY, 7 * DAY]

/** After how long without use sessions end. The chosen one is offered too if it is none of the usual. */
export function IdleTimeoutField({
  chosen,
  none,
  hint,
}: {
  readonly chosen: number | null
  /** What it means not to choose any. */
  readonly none: string
  readonly hint: string
}) {
  return (
    <SelectField
      label={t('idle.label')}
      name="idleSeconds"
      options={[{ value: '', name: none }, ...durationOptions(USUAL_TIMEOUTS, chosen)]}
      chosen={String(chosen ?? '')}
      hint={hint}
    />
  )
}

/** What the field sends. */
export function idleSecondsOf({ idleSeconds }: Readonly<Record<string, string>>): number | null {
  return idleSeconds ? Number(idleSeconds) : null
}

/** Durations in seconds, with the chosen one among them, shortest first. */
export function durationOptions(usual: readonly number[], chosen: number | null): Option[] {
  const all = [...new Set([...usual, ...(chosen === null ? [] : [chosen])])].sort((a, b) => a - b)
  return all.map(seconds => ({ value: String(seconds), name: durationText(seconds) }))
}

function durationText(seconds: number): string {
  if (seconds % DAY === 0) return t('duration.days', { count: seconds / DAY })
  if (seconds % HOUR === 0) return t('duration.hours', { count: seconds / HOUR })
  return t('duration.minutes', { count: Math.round(seconds / MINUTE) })
}
