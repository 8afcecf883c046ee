import { Liquid } from 'liquidjs';
const e=new Liquid();
for (const t of ['{{ prompt }}','{% for m in messages %}{{ m.content }}{% endfor %}','{% raw %}{{ prompt }}{% endraw %}','{{ "prompt" }}','{% assign a = prompt | upcase %}{{a}}','{{ x[prompt] }}','{% if prompt %}a{% endif %}','{{ a.prompt }}', 'no', '{{ messages[0].content }}','{% capture messages %}x{% endcapture %}{{ messages }}'])
 console.log(t, e.globalVariablesSync(t));
