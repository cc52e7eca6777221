"""A small site: a list with pages and filters, detail views, a login and the admin."""

from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.template import engines
from django.urls import path

TREES = {n: f"Tree {w}" for n, w in enumerate("oak birch elm lime ash maple pine larch yew fir".split(), 1)}


def page(title, body):
    return HttpResponse(f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}")


def home(request):
    return page("Arboretum", "<p>Welcome to the garden. <a href='/trees/'>All trees</a></p>")


def trees(request):
    number = request.GET.get("page", 1)
    chosen = Paginator(sorted(TREES.items()), 4).get_page(number)
    items = "".join(f"<li><a href='/trees/{n}/'>{name}</a></li>" for n, name in chosen)
    return page("Trees", f"<ul>{items}</ul>")


def tree(request, number):
    if number not in TREES:
        raise Http404("no such tree")
    return page(TREES[number], f"<p>Notes about {TREES[number]}: if a page is not found, ask the gardener.</p>")


def search(request):
    text = request.GET.get("text", "")
    found = [name for name in TREES.values() if text and text in name]
    body = "".join(f"<li>{name}</li>" for name in found) or "<p>Nothing was found.</p>"
    return page("Search the garden", f"<form><input name=text value='{text}'></form>{body}")


def soft(request):
    number = request.GET.get("tree", "")
    if number.isdigit() and int(number) in TREES:
        return page(TREES[int(number)], f"<p>The record of {TREES[int(number)]} in the catalog.</p>")
    return page("Catalog", "<p>Sorry, we could not find this record.</p>")


def api(request, number):
    if number not in TREES:
        return JsonResponse({"error": "not found"}, status=404)
    return JsonResponse({"name": TREES[number]})


@login_required
def private(request):
    return page("Private", "<p>Plans.</p>")


class Login(LoginView):
    def render_to_response(self, context, **kwargs):
        form = "<form method=post><input name=username><input type=password name=password></form>"
        return page("Log in", form)


urlpatterns = [
    path("", home), path("trees/", trees), path("trees/<int:number>/", tree), path("search/", search),
    path("record", soft), path("api/trees/<int:number>", api), path("private/", private),
    path("login/", Login.as_view()), path("admin/", admin.site.urls),
]
