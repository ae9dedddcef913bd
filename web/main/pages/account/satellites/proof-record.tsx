import { CopyButton } from '../../../../pieces/forms/copy-button.js'
import { t } from '../../../../pieces/language/t.js'
import type { Proof } from '../../../answers.js'

/** What to publish, and where. */
export function ProofRecord({ proof: { dns, file } }: { readonly proof: Proof }) {
  return (
    <>
      <h3>{t('proofRecord.dns')}</h3>
      <dl className="record">
        <Line name={t('field.name')} text={dns.name} label={t('proofRecord.copyName')} />
        <Line name={t('proofRecord.value')} text={dns.value} label={t('proofRecord.copyValue')} />
      </dl>
      {file ? (
        <>
          <h3>{t('proofRecord.file')}</h3>
          <dl className="record">
            <Line name={t('satellite.address')} text={file.url} label={t('proofRecord.copyUrl')} />
            <Line name={t('proofRecord.content')} text={file.content} label={t('proofRecord.copyContent')} />
          </dl>
        </>
      ) : (
        <p>{t('proofRecord.previews')}</p>
      )}
    </>
  )
}

function Line({
  name,
  text,
  label,
}: {
  readonly name: string
  readonly text: string
  readonly label: string
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} label={label} />
      </dd>
    </div>
  )
}
