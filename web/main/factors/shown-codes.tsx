import { useState } from 'react'
import { CopyButton } from '../../pieces/forms/copy-button.js'
import { Form } from '../../pieces/forms/form.js'
import { t } from '../../pieces/language/t.js'
import { Warning } from '../../pieces/notices/notice.js'
import { saveAs } from '../download.js'

/** New recovery codes, which can be seen only this once. */
export function ShownCodes({
  codes,
  done,
}: {
  readonly codes: readonly string[]
  readonly done: () => unknown
}) {
  const [wasSaved, setWasSaved] = useState(false)
  const text = `${codes.join('\n')}\n`
  const heading = `${t('codes.fileHead', { host: location.host })}\n\n`
  return (
    <>
      <Warning isMild>{t('codes.about')}</Warning>
      <ul className="codes print" aria-label={t('codes.title')}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <CopyButton text={text} label={t('codes.copy')} />
        <button type="button" onClick={() => saveAs(new Blob([heading, text]), 'recovery-codes.txt')}>
          {t('common.download')}
        </button>
        <button type="button" onClick={() => print()}>
          {t('codes.print')}
        </button>
      </div>
      <Form submit={t('common.continue')} send={async () => done()}>
        <label className="choice">
          <input
            type="checkbox"
            checked={wasSaved}
            onChange={event => setWasSaved(event.target.checked)}
            required
          />
          {t('codes.saved')}
        </label>
      </Form>
    </>
  )
}
