import { useEffect, useState } from 'react'
import { t } from '../language/t.js'

const SHOWN_MS = 3_000

/** Copies a text to the clipboard and says so. */
export function CopyButton({
  text,
  label,
}: {
  readonly text: string
  /** Needed where there are several on a page. */
  readonly label: string
}) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <span className="copy">
      <button type="button" aria-label={label} onClick={() => void copy(text).then(setSaid)}>
        {t('common.copy')}
      </button>
      <small role="status">{said}</small>
    </span>
  )
}

/** Resolves with the message to show. Browsers allow it only over https, and not to everybody. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return t('common.copied')
  } catch {
    return t('common.copyByHand')
  }
}
