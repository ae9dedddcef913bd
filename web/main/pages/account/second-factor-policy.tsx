import { useState } from 'react'
import { RadioChoice, SelectField } from '../../../pieces/forms/choice.js'
import { Field } from '../../../pieces/forms/field.js'
import { Form, type Texts } from '../../../pieces/forms/form.js'
import { toast } from '../../../pieces/toasts.js'
import { type Load, useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import { When } from '../../../pieces/when.js'
import type { SecondFactorPolicy as Policy } from '../../answers.js'
import { call } from '../../api.js'

const COVERED = [
  { value: 'off', name: 'Nobody' },
  { value: 'payments', name: 'Whoever may make payments' },
  {
    value: 'managers',
    name: 'Whoever manages something',
    hint: 'The owner, and all who may make payments, change the account or manage the team.',
  },
  { value: 'everyone', name: 'Everybody' },
]
/** In minutes; the empty one is never. Short enough to be read whole on a phone. */
const RECENT = [
  { value: '', name: 'No' },
  { value: '5', name: 'Yes, within 5 minutes' },
  { value: '15', name: 'Yes, within 15 minutes' },
  { value: '60', name: 'Yes, within an hour' },
  { value: '480', name: 'Yes, within 8 hours' },
]
const MOST_GRACE_DAYS = 90

/** Who of the account must have a second factor, and what payments need. */
export function SecondFactorPolicy() {
  const policy = useLoad(() => call<Policy>('GET', 'account/second-factor'))
  return <Loaded of={policy}>{loaded => <PolicyForm policy={loaded} load={policy} />}</Loaded>
}

function PolicyForm({ policy, load }: { readonly policy: Policy; readonly load: Load<Policy> }) {
  const { required, paymentStepUpMinutes } = policy
  const [chosen, setChosen] = useState<string>(required)
  const save = async ({ required, graceDays, paymentStepUpMinutes }: Texts) => {
    await call('PUT', 'account/second-factor', {
      required,
      ...(graceDays && { graceDays: Number(graceDays) }),
      paymentStepUpMinutes: paymentStepUpMinutes ? Number(paymentStepUpMinutes) : null,
    })
    await load.reload()
    toast('Saved.')
  }
  const isChanged = chosen !== required
  return (
    <>
      <Standing policy={policy} />
      <Form submit="Save" send={save}>
        <RadioChoice
          label="Who must have a second factor"
          name="required"
          options={COVERED}
          chosen={required}
          onChoose={setChosen}
        />
        {chosen !== 'off' && (
          <Field
            key={String(isChanged)}
            label="Days to set one up"
            name="graceDays"
            type="number"
            inputMode="numeric"
            min={0}
            max={MOST_GRACE_DAYS}
            defaultValue={isChanged ? '14' : ''}
            hint={
              isChanged
                ? 'From now on. After that, whoever has none can do nothing but set one up.'
                : 'Leave this empty to keep the date.'
            }
          />
        )}
        <SelectField
          label="Payments need a second factor"
          name="paymentStepUpMinutes"
          options={recencies(paymentStepUpMinutes)}
          chosen={String(paymentStepUpMinutes ?? '')}
          hint="Used at most that long before. A remembered device does not count."
        />
      </Form>
    </>
  )
}

function Standing({ policy: { required, requiredFrom, covered, enrolled } }: { readonly policy: Policy }) {
  if (required === 'off') return null
  return (
    <p>
      {enrolled} of {covered} {covered === 1 ? 'person' : 'people'} concerned{' '}
      {enrolled === 1 ? 'has' : 'have'} one.
      {requiredFrom && (
        <>
          {' '}
          {new Date(requiredFrom) > new Date() ? 'It is required from' : 'It has been required since'}{' '}
          <When at={requiredFrom} />.
        </>
      )}
    </p>
  )
}

/** With the one that is set, if it is none of ours. */
function recencies(minutes: number | null) {
  const isKnown = RECENT.some(({ value }) => value === String(minutes ?? ''))
  return isKnown ? RECENT : [...RECENT, { value: String(minutes), name: `Yes, within ${minutes} minutes` }]
}
