import { CopyButton } from '../../../../pieces/forms/copy-button.js'
import type { Proof } from '../../../answers.js'

/** What to publish, and where. */
export function ProofRecord({ proof: { dns, file } }: { readonly proof: Proof }) {
  return (
    <>
      <h3>A TXT record in the DNS</h3>
      <dl className="record">
        <Line name="Name" text={dns.name} label="Copy the name of the record" />
        <Line name="Value" text={dns.value} label="Copy the value of the record" />
      </dl>
      {file ? (
        <>
          <h3>Or a file on the site</h3>
          <dl className="record">
            <Line name="Address" text={file.url} label="Copy the address of the file" />
            <Line name="Content" text={file.content} label="Copy the content of the file" />
          </dl>
        </>
      ) : (
        <p>Previews have many hosts, so for them only the record counts.</p>
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
