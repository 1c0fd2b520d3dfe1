// Renders the chart as helm does: Go's text/template, sprig's functions, and helm's own ones that the chart uses.
// Usage: render CHART VALUES…: later values replace earlier ones, map by map. Prints the manifests.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) object {
	content, err := os.ReadFile(path)
	must(err)
	values := object{}
	must(yaml.Unmarshal(content, &values))
	return values
}

func merge(into, from object) {
	for key, value := range from {
		next, isMap := value.(object)
		known, wasMap := into[key].(object)
		if isMap && wasMap {
			merge(known, next)
		} else {
			into[key] = value
		}
	}
}

func main() {
	chart := os.Args[1]
	values := read(filepath.Join(chart, "values.yaml"))
	for _, path := range os.Args[2:] {
		merge(values, read(path))
	}
	about := read(filepath.Join(chart, "Chart.yaml"))
	data := object{
		"Values":  values,
		"Chart":   object{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Release": object{"Name": "svc", "Namespace": "default", "Service": "Helm"},
	}
	set := template.New("svc").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := set.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	set.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	must(err)
	sort.Strings(files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(err)
		_, err = set.New(filepath.Base(file)).Parse(string(content))
		must(err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		var text bytes.Buffer
		must(set.ExecuteTemplate(&text, filepath.Base(file), data))
		manifest := strings.TrimSpace(strings.ReplaceAll(text.String(), "<no value>", ""))
		if manifest != "" {
			fmt.Printf("---\n# %s\n%s\n", filepath.Base(file), manifest)
		}
	}
	var notes bytes.Buffer
	must(set.ExecuteTemplate(&notes, "NOTES.txt", data))
}
