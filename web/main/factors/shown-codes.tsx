import { useState } from 'react'
import { CopyButton } from '../../pieces/forms/copy-button.js'
import { Form } from '../../pieces/forms/form.js'
import { Warning } from '../../pieces/notice.js'
import { saveAs } from '../download.js'

/** New recovery codes, the one time that they can be seen. */
export function ShownCodes({
  codes,
  done,
}: {
  readonly codes: readonly string[]
  readonly done: () => unknown
}) {
  const [wasSaved, setWasSaved] = useState(false)
  const text = `${codes.join('\n')}\n`
  const heading = `Recovery codes for ${location.host}. Each works once, in place of your second factor.\n\n`
  return (
    <>
      <Warning>
        If you lose your phone or your passkeys, one of these codes lets you in. Each works once. Nobody can
        show them to you again, so save them now, and not only on this device.
      </Warning>
      <ul className="codes print" aria-label="Recovery codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <CopyButton text={text} label="Copy the recovery codes" />
        <button type="button" onClick={() => saveAs(new Blob([heading, text]), 'recovery-codes.txt')}>
          Download
        </button>
        <button type="button" onClick={() => print()}>
          Print
        </button>
      </div>
      <Form submit="Continue" send={async () => done()}>
        <label className="choice">
          <input
            type="checkbox"
            checked={wasSaved}
            onChange={event => setWasSaved(event.target.checked)}
            required
          />
          I have saved them
        </label>
      </Form>
    </>
  )
}
