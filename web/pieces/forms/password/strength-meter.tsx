import { useEffect, useState } from 'react'
import { t } from '../../language/t.js'
import { site } from '../../site/site.js'
import type { Level } from './strength.js'

type Measure = (password: string, host: string, known: readonly string[]) => Level

const levels = (): Readonly<Record<Level, { readonly text: string; readonly look: string }>> => ({
  1: { text: t('strength.weak'), look: 'weak' },
  2: { text: t('strength.fair'), look: 'fair' },
  3: { text: t('strength.good'), look: 'good' },
  4: { text: t('strength.veryGood'), look: 'good' },
})

/**
 * How hard a password is to guess, as it is typed. The code that measures it is large, so it is loaded when
 * somebody is about to choose a password; without it, only the service checks.
 */
export function StrengthMeter({
  password,
  known,
}: {
  readonly password: string
  readonly known: readonly string[]
}) {
  const [measure, setMeasure] = useState<{ readonly levelOf: Measure } | null>(null)
  useEffect(() => {
    let isGone = false
    import('./strength.js').then(
      loaded => !isGone && setMeasure(loaded),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [])
  if (!measure || password === '') return null
  const level = measure.levelOf(password, new URL(site.mainUrl).hostname, known)
  const { text, look } = levels()[level]
  return (
    <>
      <div className={`strength ${look}`} aria-hidden="true">
        {[1, 2, 3, 4].map(bar => (
          <span key={bar} className={bar <= level ? 'lit' : ''} />
        ))}
      </div>
      <small role="status">{text}</small>
    </>
  )
}
