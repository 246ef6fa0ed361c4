package evidence

import (
	"fmt"
	"strings"
)

// analyst is an agent that queries a database and writes reports. This style and
// the two after it were written when the extraction was finished. Only errors that
// concern texts in general were then corrected.
var analyst = style{"data analyst", func(s *session) {
	for range 15 {
		s.files = append(s.files, one(s, "data/raw/", "data/clean/", "reports/", "notebooks/", "s3://acme-lake/bronze/", "/mnt/share/Finance/")+
			s.noun()+"_"+fmt.Sprint(2019+s.IntN(8))+fields(s, ".csv .parquet .ipynb .xlsx .sql"))
	}
	for range 12 {
		s.names = append(s.names, fields(s, "dim fact stg mart raw")+"_"+s.noun()+"s")
	}
	s.ask()
}, (*session).analystStep}

func (s *session) ask() {
	if s.IntN(2) == 0 {
		s.say(User, "How many "+s.noun()+"s churned last quarter, and why? Ignore test accounts.")
		return
	}
	s.say(User, fmt.Sprintf("Revenue for %s looks off: finance has %s, the dashboard shows %s. Source is %s.", fields(s, "March Q3 Germany EMEA"),
		s.number(s.money()), s.number(s.money()), s.path(one(s, s.files...))))
}

func (s *session) money() string {
	return fields(s, "$ €") + fmt.Sprintf("%d,%03d.%02d", 1+s.IntN(900), s.IntN(1000), s.IntN(100))
}

func (s *session) percentage() string { return fmt.Sprintf("%.1f%%", 100*s.Float64()) }

func (s *session) analystStep() {
	table, column := one(s, s.names...), s.noun()+"_"+fields(s, "id amount date status")
	switch s.IntN(9) {
	case 0, 1, 2:
		q := fmt.Sprintf("SELECT %s, count(*) FROM %s WHERE %s > '%d-%02d-01' GROUP BY 1", column, table, column, 2020+s.IntN(6), 1+s.IntN(12))
		s.call(s.prose(), "run_query", map[string]any{"sql": s.command(q), "limit": 100}, func() string {
			var b strings.Builder
			fmt.Fprintf(&b, " %s | count | share\n----------+-------+------\n", column)
			for range 2 + s.IntN(4) {
				fmt.Fprintf(&b, " %s | %d | %s\n", s.noun(), s.IntN(100000), s.number(s.percentage()))
			}
			return b.String() + fmt.Sprintf("(%d rows)\n", 2+s.IntN(4))
		})
	case 3:
		f := one(s, s.files...)
		s.call("", "python", map[string]any{"code": fmt.Sprintf("import pandas as pd\ndf = pd.read_csv(%q)\nprint(df.describe())\n", f)}, func() string {
			return fmt.Sprintf("Loaded %s from %s\nmemory usage: %s\n", s.number(fmt.Sprintf("%d,%03d rows", 1+s.IntN(400), s.IntN(1000))), s.path(f), s.number(fmt.Sprintf("%.1f MB", 1+90*s.Float64())))
		})
	case 4:
		s.bash("", one(s, "dbt run --select "+table, "duckdb lake.db -c 'SUMMARIZE "+table+"'", "python scripts/export.py --month "+fmt.Sprintf("%02d", 1+s.IntN(12))+" --out "+one(s, s.files...)), func() string {
			return fmt.Sprintf("Completed in %s, run %s\n", s.number(fmt.Sprintf("%.2f seconds", 1+60*s.Float64())), s.hash(s.hex(32)))
		})
	case 5:
		s.bash("", "dbt test --select "+table, func() string {
			return fmt.Sprintf("Failure in test not_null_%s (%s)\n  Got %d results, configured to fail if != 0\n  compiled code at %s\n", table, s.path("models/marts/"+table+".yml"), s.IntN(400), s.path("target/compiled/"+table+"/not_null.sql"))
		})
	case 6:
		s.call("", "list_files", map[string]any{"dir": "data/raw"}, func() string {
			var b strings.Builder
			for i := range 40 + s.IntN(100) {
				fmt.Fprintf(&b, "data/raw/part-%05d.parquet\t%d\n", i, s.IntN(1e7))
			}
			return b.String()
		})
	case 7:
		s.call(s.prose(), "write_file", map[string]any{"path": s.path(one(s, s.files...)), "content": strings.Repeat("region,amount\nnorth,12.5\nsouth,9.25\n", 20)}, func() string { return "ok" })
	default:
		s.say(Model, fmt.Sprintf("The gap is **%s** (%s): `%s` joins %s twice. I wrote the corrected figures to %s.", s.number(s.money()), s.number(s.percentage()),
			s.plant("identifier", table), s.plant("identifier", one(s, s.names...)), s.path(one(s, s.files...))))
		s.ask()
	}
}

// ops is an agent that runs a cluster.
var ops = style{"operations agent", func(s *session) {
	for range 10 {
		s.names = append(s.names, s.noun()+"-"+fields(s, "api worker gateway cron"))
	}
	for range 12 {
		s.files = append(s.files, one(s, "deploy/", "helm/charts/", "/etc/nginx/conf.d/", "terraform/envs/prod/", "k8s/overlays/prod/", "/var/log/")+one(s, s.names...)+fields(s, ".yaml .conf .tf .log"))
	}
	s.page()
}, (*session).opsStep}

func (s *session) ip() string {
	return fmt.Sprintf("10.%d.%d.%d", s.IntN(256), s.IntN(256), 1+s.IntN(254))
}

func (s *session) page() {
	switch s.IntN(3) {
	case 0:
		s.say(User, fmt.Sprintf("PagerDuty: %s error rate at %s for %s. Runbook: %s", one(s, s.names...), s.number(s.percentage()), s.number(fmt.Sprintf("%d min", 2+s.IntN(50))),
			s.plant("url", "https://wiki.acme.io/runbooks/"+s.noun())))
	case 1:
		s.say(User, fmt.Sprintf("Roll %s back to the image before %s, and never restart the database without asking me.", one(s, s.names...), s.hash("sha256:"+s.hex(64))))
	default:
		s.say(User, fmt.Sprintf("Disk on %s is filling up, it has %s left. Config is %s.", s.plant("identifier", s.ip()), s.number(fmt.Sprintf("%d GiB", 1+s.IntN(30))), s.path(one(s, s.files...))))
	}
}

func (s *session) opsStep() {
	app := one(s, s.names...)
	pod := func() string { return one(s, s.names...) + "-" + s.hex(9) + "-" + s.hex(5) }
	switch s.IntN(9) {
	case 0, 1:
		s.bash(s.prose(), "kubectl get pods -n prod -l app="+app, func() string {
			var b strings.Builder
			b.WriteString("NAME    READY   STATUS    RESTARTS   AGE\n")
			for range 2 + s.IntN(5) {
				fmt.Fprintf(&b, "%s   %d/1   %s   %d   %dd\n", s.plant("identifier", pod()), s.IntN(2), fields(s, "Running CrashLoopBackOff OOMKilled Pending"), s.IntN(30), 1+s.IntN(40))
			}
			return b.String()
		})
	case 2:
		s.bash("", "kubectl logs deploy/"+app+" --tail=50 | grep -i error", func() string {
			var b strings.Builder
			for i := range 2 + s.IntN(3) {
				fmt.Fprintf(&b, "2026-11-03T10:%02d:%02d.%03dZ ERROR dial tcp %s: connect: connection refused (attempt %d, waited %s)\n", s.IntN(60), s.IntN(60), s.IntN(1000),
					s.plant("identifier", fmt.Sprintf("%s:%d", s.ip(), 1024+s.IntN(60000))), i, s.number(fmt.Sprintf("%d ms", 100+s.IntN(9000))))
			}
			return b.String()
		})
	case 3:
		s.bash("", "kubectl describe pod "+pod()+" -n prod", func() string {
			return fmt.Sprintf("Image:    registry.acme.io/%s@%s\nLimits:   memory: %s\nLast State: Terminated, Reason: OOMKilled, %s\n", app, s.hash("sha256:"+s.hex(64)), s.number(fmt.Sprintf("%dMi", 64+s.IntN(900))), s.number("Exit Code: "+fmt.Sprint(128+s.IntN(15))))
		})
	case 4:
		s.bash("", fmt.Sprintf("psql -h %s -c 'select pid, state from pg_stat_activity'", s.ip()), func() string {
			return fmt.Sprintf("%s waiting for %s, idle in transaction %s\n", s.number(fmt.Sprintf("%d connections", 10+s.IntN(400))), s.plant("identifier", "pg_locks"), s.number(fmt.Sprintf("%d s", 20+s.IntN(900))))
		})
	case 5:
		f := one(s, s.files...)
		s.call("", "read_file", map[string]any{"path": s.path(f)}, func() string {
			var b strings.Builder
			for i := range 30 {
				fmt.Fprintf(&b, "%s:\n  %s: %d\n  host: %s.svc.cluster.local\n", s.noun(), s.verb(), i, app)
			}
			return b.String()
		})
	case 6:
		s.bash("", fmt.Sprintf("helm upgrade %s helm/charts/%s --set image.tag=%s --wait", app, app, s.commit()), func() string {
			return fmt.Sprintf("Release %q has been upgraded. REVISION: %d\nsee %s\n", app, s.IntN(90), s.plant("url", fmt.Sprintf("https://grafana.acme.io/d/%s/%s?orgId=1", s.hex(8), app)))
		})
	case 7:
		s.bash("", "df -h && du -xh /var --max-depth=1", func() string {
			return fmt.Sprintf("/dev/nvme0n1p1  %s used  %s\n%s\t%s\n", s.number(fmt.Sprintf("%dG", 10+s.IntN(400))), s.number(fmt.Sprintf("%d%%", 1+s.IntN(99))), s.number(fmt.Sprintf("%.1fG", 1+90*s.Float64())), s.path("/var/lib/"+s.noun()))
		})
	default:
		s.say(Model, fmt.Sprintf("Rolled `%s` to %s; p99 is back at %s, memory limit in %s raised to %s.", app, s.hash(s.commit()), s.number(fmt.Sprintf("%d ms", 5+s.IntN(300))), s.path(one(s, s.files...)), s.number(fmt.Sprintf("%dMi", 64+s.IntN(900)))))
		s.page()
	}
}

// german is an agent that works in German on a program for Windows.
var german = style{"German, Windows", func(s *session) {
	for range 20 {
		s.files = append(s.files, one(s, `C:\Projekte\Lager\`, `src\Lager.Kern\`, `..\Tests\`, `\\srv-nas01\freigabe\`)+title(s.noun())+one(s, "Dienst", "Ansicht", "Prüfung")+fields(s, ".cs .xaml .csproj .resx .json"))
		s.names = append(s.names, title(s.noun())+title(s.verb())+"Async")
	}
	s.order()
}, (*session).germanStep}

func (s *session) order() {
	switch s.IntN(3) {
	case 0:
		s.say(User, fmt.Sprintf("Seit %s (Ticket %s) dauert der Start %s statt %s. Schau dir bitte „%s“ an.", s.hash(s.commit()), s.plant("identifier", fmt.Sprintf("LAG-%d", 100+s.IntN(9000))),
			s.number(fmt.Sprintf("%d,%d s", 2+s.IntN(30), s.IntN(10))), s.number(fmt.Sprintf("%d ms", 90+s.IntN(900))), s.path(one(s, s.files...))))
	case 1:
		s.say(User, fmt.Sprintf("Entscheidung: wir bleiben bei %s. Der Dienst lauscht auf %s, und `%s` muss grün sein.", s.number(fmt.Sprintf("PostgreSQL %d.%d", 14+s.IntN(4), s.IntN(9))),
			s.number(fmt.Sprintf("Port %d", 1024+s.IntN(60000))), s.command("dotnet test --filter "+one(s, s.names...))))
	default:
		s.say(User, fmt.Sprintf("Beim Kunden kommt %s in %s, der Speicher steigt auf %s.", s.plant("identifier", fmt.Sprintf("CS%04d", 100+s.IntN(8000))), s.path(one(s, s.files...)), s.number(fmt.Sprintf("%d,%d GB", 1+s.IntN(30), s.IntN(10)))))
	}
}

func (s *session) germanStep() {
	f := one(s, s.files...)
	switch s.IntN(7) {
	case 0:
		s.call("Ich sehe mir zuerst den Aufrufer an.", "view", map[string]any{"path": s.path(f)}, func() string {
			var b strings.Builder
			b.WriteString("using System;\nusing Lager.Kern;\n\nnamespace Lager\n{\n")
			for i := range 20 {
				fmt.Fprintf(&b, "    public async Task<int> %s(CancellationToken ct)\n    {\n        await _log.SchreibeAsync(\"Schritt %d\", ct);\n        return %d;\n    }\n", one(s, s.names...), i, i)
			}
			return b.String() + "}\n"
		})
	case 1, 2:
		s.call("", "powershell", map[string]any{"command": s.command(one(s, "dotnet build -c Release", "dotnet test --no-build", `Get-Content .\build.log -Tail 20`, `msbuild Lager.sln /p:Configuration=Debug`))}, func() string {
			var b strings.Builder
			for range 1 + s.IntN(3) {
				fmt.Fprintf(&b, "%s(%d,%d): error %s: Der Name \"%s\" ist im aktuellen Kontext nicht vorhanden.\n", s.path(f), 1+s.IntN(300), 1+s.IntN(80), s.plant("identifier", fmt.Sprintf("CS%04d", 100+s.IntN(8000))), s.plant("identifier", one(s, s.names...)))
			}
			return b.String() + fmt.Sprintf("    %d Warnung(en)\n    %d Fehler\n\nVerstrichene Zeit 00:00:%02d.%02d\n", s.IntN(9), 1+s.IntN(3), s.IntN(60), s.IntN(100))
		})
	case 3:
		s.call("Die Ursache ist klar, ich ändere es.", "str_replace", map[string]any{"path": s.path(f), "old_str": "return 1;", "new_str": "return 2;\n// siehe oben\n"}, func() string { return "Datei geändert." })
	case 4:
		s.call("", "powershell", map[string]any{"command": s.command(`dir /s /b ` + f[:strings.LastIndexByte(f, '\\')])}, func() string {
			var b strings.Builder
			for i := range 50 + s.IntN(200) {
				fmt.Fprintf(&b, "C:\\Projekte\\Lager\\obj\\Debug\\Teil%d.dll\r\n", i)
			}
			return b.String()
		})
	case 5:
		s.call("", "powershell", map[string]any{"command": s.command("git log -3 --format=medium")}, func() string {
			var b strings.Builder
			for range 3 {
				fmt.Fprintf(&b, "commit %s\nAuthor: Jörg Weiß <%s>\n\n    %s überarbeitet\n\n", s.hash(s.hex(40)), s.plant("identifier", "j.weiss@lager.example"), title(s.noun()))
			}
			return b.String()
		})
	default:
		s.say(Model, fmt.Sprintf("Erledigt: `%s` in `%s` braucht nur noch %s, der Speicher liegt bei %s (%s weniger). Stand: %s.", s.plant("identifier", one(s, s.names...)), s.path(f),
			s.number(fmt.Sprintf("%d ms", 1+s.IntN(90))), s.number(fmt.Sprintf("%d MB", 20+s.IntN(900))), s.number(fmt.Sprintf("%d %%", 1+s.IntN(99))), s.hash(s.commit())))
		s.order()
	}
}
